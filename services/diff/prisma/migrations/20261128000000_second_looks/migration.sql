-- What second looks read: no capture holds it.
CREATE TABLE "look_contents" (
    "project_id" TEXT NOT NULL,
    "page_key" TEXT NOT NULL,
    "page_id" TEXT NOT NULL,
    "blocks" BYTEA NOT NULL,
    "fields" TEXT NOT NULL,

    CONSTRAINT "look_contents_pkey" PRIMARY KEY ("project_id", "page_key")
);

CREATE TABLE "second_fetches" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "pages" TEXT NOT NULL,
    "due" TIMESTAMPTZ(3) NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "second_fetches_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "second_fetches_due_idx" ON "second_fetches"("due");
CREATE INDEX "second_fetches_project_id_idx" ON "second_fetches"("project_id");

CREATE TABLE "releases" (
    "name" TEXT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "releases_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "broken_projects" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "release" TEXT NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "broken_projects_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "broken_projects_release_idx" ON "broken_projects"("release");
CREATE INDEX "broken_projects_project_id_idx" ON "broken_projects"("project_id");
