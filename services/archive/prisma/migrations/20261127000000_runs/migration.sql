-- Runs of projects as crawl reports them, and the progress of their listing.
CREATE TABLE "runs" (
    "no" BIGSERIAL NOT NULL,
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "trigger" TEXT NOT NULL DEFAULT '',
    "status" TEXT NOT NULL DEFAULT 'running',
    "ended_at" TIMESTAMPTZ(3),
    "total" INTEGER,
    "listed" INTEGER NOT NULL DEFAULT 0,
    "provisional" INTEGER NOT NULL DEFAULT 0,
    "checked" INTEGER NOT NULL DEFAULT 0,
    "sketched" INTEGER NOT NULL DEFAULT 0,
    "complete" BOOLEAN NOT NULL DEFAULT false,
    "settled" BOOLEAN NOT NULL DEFAULT false,
    "summary" JSONB,
    "stuck_since" TIMESTAMPTZ(3),
    "due" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "is_waiting" BOOLEAN NOT NULL DEFAULT false,
    "is_claimed" BOOLEAN NOT NULL DEFAULT false,
    "interrupted" INTEGER NOT NULL DEFAULT 0,
    "discarded" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("no")
);
CREATE UNIQUE INDEX "runs_id_key" ON "runs"("id");
CREATE INDEX "runs_due_idx" ON "runs"("due") WHERE "due" IS NOT NULL;
CREATE INDEX "runs_project_idx" ON "runs"("workspace_id", "project_id");

-- Pages of runs as crawl records them (RunPage, as proto bytes), until their run is listed to its end. A page is final once its links are
-- counted. A run that is adopted has pages here before it is known above.
CREATE TABLE "recorded_pages" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "page" BYTEA NOT NULL,
    "is_final" BOOLEAN NOT NULL,

    CONSTRAINT "recorded_pages_pkey" PRIMARY KEY ("run_id", "number")
);

-- The pages of those runs, with every field of the query language.
CREATE TABLE "run_pages" (
    "run_no" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "page_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "asked_url" TEXT NOT NULL,
    "url_key" BYTEA NOT NULL,
    "http_status" INTEGER NOT NULL,
    "verdict" TEXT NOT NULL,
    "error_code" TEXT NOT NULL,
    "shape" TEXT,
    "warnings" TEXT[] NOT NULL,
    "signals" TEXT[] NOT NULL,
    "reason" TEXT NOT NULL,
    "method" TEXT,
    "tier" TEXT,
    "climbed_to" TEXT,
    "credits" INTEGER NOT NULL,
    "billed_as" TEXT,
    "words" INTEGER NOT NULL,
    "language" TEXT,
    "title" TEXT,
    "widget" TEXT,
    "solved" TEXT,
    "exit" TEXT,
    "exit_bytes" BIGINT NOT NULL,
    "redirects" TEXT[] NOT NULL,
    "charset" TEXT,
    "crawled_at" TIMESTAMPTZ(3) NOT NULL,
    "took_ms" INTEGER NOT NULL,
    "formats" TEXT[] NOT NULL,
    "content_key" BIGINT NOT NULL,
    "screenshot" BOOLEAN NOT NULL,
    "found_via" TEXT NOT NULL,
    "first_referer" TEXT,
    "in_sitemap" BOOLEAN NOT NULL,
    "depth" INTEGER NOT NULL,
    "in_links" INTEGER,
    "orphan" BOOLEAN,
    "unlisted" BOOLEAN,

    CONSTRAINT "run_pages_pkey" PRIMARY KEY ("run_no", "number")
);
-- The readings of one address over time.
CREATE INDEX "run_pages_url_idx" ON "run_pages"("url_key", "run_no");

-- Which words a page may say: a search reads the stored text of these pages alone.
CREATE TABLE "run_words" (
    "run_no" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "sketch" BYTEA NOT NULL,

    CONSTRAINT "run_words_pkey" PRIMARY KEY ("run_no", "number")
);
-- A sketch is at most 6 KB of incompressible bits: stored inline it is read once, out of line once for each tested bit.
ALTER TABLE "run_words" ALTER COLUMN "sketch" SET STORAGE PLAIN;

-- Pages of discarded runs that the newest full run still needs, and the progress of the deletion.
ALTER TABLE "discarded_runs" ADD COLUMN "project_id" TEXT NOT NULL DEFAULT '';
ALTER TABLE "discarded_runs" ADD COLUMN "needed_by" TEXT NOT NULL DEFAULT '';
ALTER TABLE "discarded_runs" ADD COLUMN "seen_to" TEXT NOT NULL DEFAULT '';
ALTER TABLE "discarded_runs" ADD COLUMN "kept" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "discarded_runs" ALTER COLUMN "due" DROP NOT NULL;
CREATE INDEX "discarded_runs_project_idx" ON "discarded_runs"("workspace_id", "project_id") WHERE "project_id" <> '';
