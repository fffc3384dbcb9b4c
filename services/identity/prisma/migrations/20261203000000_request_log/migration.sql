-- Requests of API keys, for some days. Written in batches: the primary key is the order of the lists, the times are found through a block range index.
CREATE TABLE "requests" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "code" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "request_id" TEXT NOT NULL,
    "credits" BIGINT,
    "user_agent" TEXT NOT NULL,
    CONSTRAINT "requests_pkey" PRIMARY KEY ("workspace_id", "id")
);
CREATE INDEX "requests_at_idx" ON "requests" USING BRIN ("at");
-- Failures are few, and the most frequent question.
CREATE INDEX "requests_failed_idx" ON "requests"("workspace_id", "id") WHERE "status" >= 400;
ALTER TABLE "requests" ADD CONSTRAINT "requests_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
