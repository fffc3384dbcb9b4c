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

CREATE TABLE "logins" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "front_page" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "saved_by" TEXT NOT NULL,
    "saved_at" TIMESTAMPTZ(3) NOT NULL,
    "terms_accepted_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'unknown',
    "reason" TEXT NOT NULL,
    "checked_at" TIMESTAMPTZ(3),
    "cookies" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "session" BYTEA NOT NULL,
    "session_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "logins_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "login_runs" (
    "run_id" TEXT NOT NULL,
    "login_id" TEXT NOT NULL,
    "session_version" INTEGER NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "login_runs_pkey" PRIMARY KEY ("run_id"),
    CONSTRAINT "login_runs_login_id_fkey" FOREIGN KEY ("login_id") REFERENCES "logins"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "logins_workspace_id_id_idx" ON "logins"("workspace_id", "id" DESC);
CREATE INDEX "login_runs_login_id_idx" ON "login_runs"("login_id");
CREATE INDEX "login_runs_noted_at_idx" ON "login_runs"("noted_at");
