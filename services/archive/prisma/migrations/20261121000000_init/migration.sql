-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "archive";

-- CreateTable
CREATE TABLE "pages" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "verdict" TEXT NOT NULL,
    "http_status" INTEGER NOT NULL,
    "row" BYTEA NOT NULL,
    "crawled_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "pages_workspace_id_job_id_id_idx" ON "pages"("workspace_id", "job_id", "id");


