ALTER TABLE "projects"
    ADD COLUMN "kept_run_id" TEXT,
    ADD COLUMN "adopt_after" TIMESTAMPTZ(3),
    ADD COLUMN "adoption_why" TEXT NOT NULL DEFAULT '',
    ADD COLUMN "recrawl_until" TIMESTAMPTZ(3),
    ADD COLUMN "health_since" TIMESTAMPTZ(3),
    ADD COLUMN "health_at" TIMESTAMPTZ(3),
    ADD COLUMN "health_run" TEXT NOT NULL DEFAULT '',
    ADD COLUMN "expire_after" TIMESTAMPTZ(3) NOT NULL DEFAULT (now() + '1 day'::interval);

UPDATE "projects" SET "health_since" = "last_run_at", "health_at" = "last_run_at" WHERE "health" <> 'never';
-- So that those there are already are not all looked at in one moment.
UPDATE "projects" SET "expire_after" = now() + random() * '1 day'::interval;

CREATE UNIQUE INDEX "projects_kept_run_id_key" ON "projects"("kept_run_id");
CREATE INDEX "projects_adopt_after_idx" ON "projects"("adopt_after") WHERE "adopt_after" IS NOT NULL;
CREATE INDEX "projects_expire_after_idx" ON "projects"("expire_after");
CREATE INDEX "projects_login_idx" ON "projects"("workspace_id", ("config" ->> 'login_id')) WHERE "config" ->> 'login_id' IS NOT NULL;
