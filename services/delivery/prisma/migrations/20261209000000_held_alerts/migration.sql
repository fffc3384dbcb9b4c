CREATE TABLE "held_alerts" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "match" BYTEA NOT NULL,

    CONSTRAINT "held_alerts_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "held_alerts_due_at_idx" ON "held_alerts"("due_at");
CREATE INDEX "held_alerts_project_id_channel_due_at_idx" ON "held_alerts"("project_id", "channel", "due_at");
