-- The changes of all projects of a workspace, newest first.
CREATE INDEX "records_workspace_id_made_at_idx" ON "records"("workspace_id", "made_at" DESC, "run_id" DESC) WHERE "entries" > 0;
