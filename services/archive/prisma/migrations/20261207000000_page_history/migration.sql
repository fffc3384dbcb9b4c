-- What is known of deleted readings: the next stored reading of the page has their first time, if the text is the same.
ALTER TABLE "run_pages"
  ADD COLUMN "text_since" TIMESTAMPTZ(3),
  ADD COLUMN "text_readings" INTEGER,
  ADD COLUMN "text_is_new" BOOLEAN;
CREATE TABLE "project_histories" (
  "project_id" TEXT NOT NULL,
  "workspace_id" TEXT NOT NULL,
  "deleted_to" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "project_histories_pkey" PRIMARY KEY ("project_id")
);
CREATE INDEX "project_histories_workspace_id_idx" ON "project_histories"("workspace_id");
