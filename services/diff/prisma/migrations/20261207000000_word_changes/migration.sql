CREATE TABLE "word_changes" (
  "project_id" TEXT NOT NULL,
  "before_page_id" TEXT NOT NULL,
  "after_page_id" TEXT NOT NULL,
  "workspace_id" TEXT NOT NULL,
  "run_id" TEXT NOT NULL,
  "words_added" INTEGER NOT NULL,
  "words_removed" INTEGER NOT NULL,
  CONSTRAINT "word_changes_pkey" PRIMARY KEY ("project_id", "after_page_id", "before_page_id")
);
CREATE INDEX "word_changes_run_id_idx" ON "word_changes"("run_id");
