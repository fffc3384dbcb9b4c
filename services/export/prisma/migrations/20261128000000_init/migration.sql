CREATE SCHEMA IF NOT EXISTS "export";

CREATE TABLE "connections" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "config" JSONB NOT NULL,
    "secrets" BYTEA NOT NULL,
    "secrets_set" TEXT[],
    "test_ok" BOOLEAN,
    "test_reason" TEXT NOT NULL DEFAULT '',
    "test_steps" JSONB NOT NULL DEFAULT '[]',
    "test_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "connections_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "connections_workspace_id_id_idx" ON "connections"("workspace_id", "id" DESC);
