ALTER TABLE "entries" ADD COLUMN "page_states" TEXT;

CREATE TABLE "alert_matches" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "entry_id" TEXT NOT NULL,
    "alert_id" TEXT NOT NULL,
    "alert_name" TEXT NOT NULL,
    "delta_key" TEXT NOT NULL,
    "page_key" TEXT NOT NULL,
    "matched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "alert_matches_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "alert_matches_run_id_entry_id_idx" ON "alert_matches"("run_id", "entry_id");
CREATE INDEX "alert_matches_entry_id_idx" ON "alert_matches"("entry_id");
CREATE INDEX "alert_matches_project_id_alert_id_page_key_matched_at_idx" ON "alert_matches"("project_id", "alert_id", "page_key", "matched_at");
