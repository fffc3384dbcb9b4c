CREATE SCHEMA IF NOT EXISTS "diff";

-- JSON values are stored as TEXT: page texts may hold characters that jsonb rejects, such as lone surrogates.
CREATE TABLE "records" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "is_recrawl" BOOLEAN NOT NULL,
    -- It replaces the known state of the pages: a full run that is done.
    "is_history" BOOLEAN NOT NULL DEFAULT false,
    -- Its run read pages, so that it can be a baseline.
    "has_coverage" BOOLEAN NOT NULL DEFAULT false,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "error" TEXT NOT NULL DEFAULT '',
    "run_finished" BYTEA NOT NULL,
    "config" TEXT NOT NULL DEFAULT '{}',
    "scope_hash" TEXT NOT NULL DEFAULT '',
    "in_sitemap" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "not_ready_count" INTEGER NOT NULL DEFAULT 0,
    "rules_version" INTEGER NOT NULL DEFAULT 0,
    "baseline_run_id" TEXT NOT NULL DEFAULT '',
    "counts" TEXT NOT NULL DEFAULT '{}',
    "coverage" TEXT NOT NULL DEFAULT '{}',
    "moved" INTEGER NOT NULL DEFAULT 0,
    "entries" INTEGER NOT NULL DEFAULT 0,
    "selectors" TEXT NOT NULL DEFAULT '[]',
    "breaks" TEXT NOT NULL DEFAULT '[]',
    "digest" TEXT,
    "made_at" TIMESTAMPTZ(3),

    CONSTRAINT "records_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "records_workspace_id_project_id_run_id_idx" ON "records"("workspace_id", "project_id", "run_id" DESC);
-- Queue of records to build.
CREATE INDEX "records_due_at_idx" ON "records"("due_at") WHERE "due_at" IS NOT NULL;

CREATE TABLE "entries" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "delta_key" TEXT NOT NULL,
    "entry" TEXT NOT NULL,

    CONSTRAINT "entries_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "entries_run_id_position_key" ON "entries"("run_id", "position");
CREATE INDEX "entries_workspace_id_project_id_run_id_position_idx" ON "entries"("workspace_id", "project_id", "run_id" DESC, "position");

CREATE TABLE "ignored_blocks" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "page" TEXT NOT NULL,
    "block" TEXT NOT NULL,

    CONSTRAINT "ignored_blocks_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "ignored_blocks_run_id_position_key" ON "ignored_blocks"("run_id", "position");
CREATE INDEX "ignored_blocks_run_id_page_position_idx" ON "ignored_blocks"("run_id", "page", "position");
CREATE INDEX "ignored_blocks_workspace_id_project_id_idx" ON "ignored_blocks"("workspace_id", "project_id");

CREATE TABLE "reviews" (
    "project_id" TEXT NOT NULL,
    "delta_key" TEXT NOT NULL,
    "reviewed_by" TEXT NOT NULL,
    "reviewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reviews_pkey" PRIMARY KEY ("project_id", "delta_key")
);

-- Byte order, because known pages and the readings of a run are merge-joined by key.
CREATE TABLE "known_pages" (
    "project_id" TEXT NOT NULL,
    "page_key" TEXT COLLATE "C" NOT NULL,
    "page" TEXT NOT NULL,

    CONSTRAINT "known_pages_pkey" PRIMARY KEY ("project_id", "page_key")
);

CREATE TABLE "aliases" (
    "project_id" TEXT NOT NULL,
    "from_key" TEXT NOT NULL,
    "to_key" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,

    CONSTRAINT "aliases_pkey" PRIMARY KEY ("project_id", "from_key")
);

CREATE TABLE "anchors" (
    "project_id" TEXT NOT NULL,
    "anchor" TEXT NOT NULL,
    "state" TEXT NOT NULL,

    CONSTRAINT "anchors_pkey" PRIMARY KEY ("project_id", "anchor")
);

CREATE TABLE "templates" (
    "project_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "template" TEXT NOT NULL,

    CONSTRAINT "templates_pkey" PRIMARY KEY ("project_id", "id")
);

-- Unlogged: collected again from the archive after a crash.
CREATE UNLOGGED TABLE "readings" (
    "run_id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "page_key" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "reading" TEXT NOT NULL,

    CONSTRAINT "readings_pkey" PRIMARY KEY ("run_id", "owner", "page_key", "number")
);

CREATE TABLE "recaptured_pages" (
    "project_id" TEXT NOT NULL,
    "page_key" TEXT NOT NULL,
    "page_id" TEXT NOT NULL,
    "blocks" BYTEA NOT NULL,
    "fields" TEXT NOT NULL,

    CONSTRAINT "recaptured_pages_pkey" PRIMARY KEY ("project_id", "page_key")
);

CREATE TABLE "volatility_jobs" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "pages" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "volatility_jobs_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "volatility_jobs_due_at_idx" ON "volatility_jobs"("due_at");
CREATE INDEX "volatility_jobs_project_id_idx" ON "volatility_jobs"("project_id");

CREATE TABLE "releases" (
    "name" TEXT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "releases_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "broken_runs" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "release" TEXT NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "broken_runs_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "broken_runs_release_idx" ON "broken_runs"("release");
CREATE INDEX "broken_runs_project_id_idx" ON "broken_runs"("project_id");

-- Tombstones: run.finished of a deleted project may still arrive.
CREATE TABLE "deleted_projects" (
    "project_id" TEXT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deleted_projects_pkey" PRIMARY KEY ("project_id")
);

CREATE TABLE "outbox" (
    "id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "payload" BYTEA NOT NULL,
    "trace" JSONB NOT NULL,
    "awaiting" TEXT[],
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "outbox_sent_at_idx" ON "outbox"("sent_at");
