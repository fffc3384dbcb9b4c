CREATE SCHEMA IF NOT EXISTS "diff";

-- What is kept as JSON is text: pages say what jsonb refuses, such as half a character.
CREATE TABLE "records" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "is_recrawl" BOOLEAN NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "error" TEXT NOT NULL DEFAULT '',
    "fact" BYTEA NOT NULL,
    "config" TEXT NOT NULL DEFAULT '{}',
    "scope_hash" TEXT NOT NULL DEFAULT '',
    "in_sitemap" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "due" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "looks" INTEGER NOT NULL DEFAULT 0,
    "rules" INTEGER NOT NULL DEFAULT 0,
    "baseline_run_id" TEXT NOT NULL DEFAULT '',
    "counts" TEXT NOT NULL DEFAULT '{}',
    "coverage" TEXT NOT NULL DEFAULT '{}',
    "moved" INTEGER NOT NULL DEFAULT 0,
    "entries" INTEGER NOT NULL DEFAULT 0,
    "selectors" TEXT NOT NULL DEFAULT '[]',
    "breaks" TEXT NOT NULL DEFAULT '[]',
    "made_at" TIMESTAMPTZ(3),

    CONSTRAINT "records_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "records_workspace_id_project_id_run_id_idx" ON "records"("workspace_id", "project_id", "run_id" DESC);
-- What is still to be made.
CREATE INDEX "records_due_idx" ON "records"("due") WHERE "due" IS NOT NULL;

CREATE TABLE "entries" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "place" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "delta_key" TEXT NOT NULL,
    "entry" TEXT NOT NULL,

    CONSTRAINT "entries_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "entries_run_id_place_key" ON "entries"("run_id", "place");
CREATE INDEX "entries_workspace_id_project_id_run_id_place_idx" ON "entries"("workspace_id", "project_id", "run_id" DESC, "place");

CREATE TABLE "reviews" (
    "project_id" TEXT NOT NULL,
    "delta_key" TEXT NOT NULL,
    "reviewed_by" TEXT NOT NULL,
    "reviewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reviews_pkey" PRIMARY KEY ("project_id", "delta_key")
);

-- Keys are compared byte by byte, as the pages of a run are sorted.
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

-- Read anew from the archive where it is lost.
CREATE UNLOGGED TABLE "readings" (
    "run_id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "page_key" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "reading" TEXT NOT NULL,

    CONSTRAINT "readings_pkey" PRIMARY KEY ("run_id", "owner", "page_key", "number")
);

-- Runs of them may be heard of later still.
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
