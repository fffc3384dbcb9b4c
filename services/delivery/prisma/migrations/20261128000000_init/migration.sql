CREATE SCHEMA IF NOT EXISTS "delivery";

CREATE TABLE "receivers" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "service" TEXT NOT NULL DEFAULT '',
    "queue_key" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "url" BYTEA NOT NULL,
    "secret" BYTEA,
    "previous_secrets" BYTEA[] NOT NULL DEFAULT '{}',
    "previous_untils" TIMESTAMPTZ(3)[] NOT NULL DEFAULT '{}',
    "last_delivered_at" TIMESTAMPTZ(3),
    "last_failed_at" TIMESTAMPTZ(3),
    "last_status" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT NOT NULL DEFAULT '',
    "last_paused_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "receivers_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "receivers_workspace_id_project_id_idx" ON "receivers"("workspace_id", "project_id");

CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "receiver_id" TEXT NOT NULL,
    "recipient" TEXT NOT NULL DEFAULT '',
    "body" TEXT NOT NULL,
    "is_test" BOOLEAN NOT NULL DEFAULT false,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "queue_key" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "url" BYTEA NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "by" TEXT NOT NULL DEFAULT 'schedule',
    "last_status" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT NOT NULL DEFAULT '',
    "next_at" TIMESTAMPTZ(3),
    "owner" TEXT,
    "interrupted" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "deliveries_key_key" ON "deliveries"("key");
CREATE INDEX "deliveries_workspace_id_id_idx" ON "deliveries"("workspace_id", "id" DESC);
CREATE INDEX "deliveries_workspace_id_status_id_idx" ON "deliveries"("workspace_id", "status", "id" DESC);
CREATE INDEX "deliveries_workspace_id_project_id_status_id_idx" ON "deliveries"("workspace_id", "project_id", "status", "id" DESC);
CREATE INDEX "deliveries_workspace_id_project_id_id_idx" ON "deliveries"("workspace_id", "project_id", "id" DESC);
CREATE INDEX "deliveries_workspace_id_run_id_id_idx" ON "deliveries"("workspace_id", "run_id", "id" DESC);
CREATE INDEX "deliveries_queue_key_next_at_id_idx" ON "deliveries"("queue_key", "next_at", "id") WHERE "next_at" IS NOT NULL;
CREATE INDEX "deliveries_interrupted_next_at_idx" ON "deliveries"("next_at") WHERE "interrupted" >= 2 AND "next_at" IS NOT NULL;
CREATE INDEX "deliveries_receiver_id_status_idx" ON "deliveries"("receiver_id", "status") WHERE "status" NOT IN ('delivered', 'failed');

CREATE TABLE "attempts" (
    "delivery_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "url" TEXT NOT NULL DEFAULT '',
    "status" INTEGER NOT NULL,
    "error" TEXT NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "answer" TEXT NOT NULL,
    "by" TEXT NOT NULL,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("delivery_id", "number")
);

CREATE TABLE "run_notifications" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "finished" BYTEA,
    "ready" BYTEA,
    "place" INTEGER NOT NULL DEFAULT 0,
    "digest" TEXT NOT NULL DEFAULT '',
    "digest_until" TIMESTAMPTZ(3),
    "model_called_at" TIMESTAMPTZ(3),
    "due" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "interrupted" INTEGER NOT NULL DEFAULT 0,
    "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_notifications_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "run_notifications_due_idx" ON "run_notifications"("due") WHERE "due" IS NOT NULL;
CREATE INDEX "run_notifications_digest_until_idx" ON "run_notifications"("digest_until") WHERE "digest_until" IS NOT NULL AND "digest" = '';

CREATE TABLE "watches" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "events" TEXT[],
    "metadata" TEXT NOT NULL,
    "number" INTEGER NOT NULL DEFAULT 0,
    "is_started" BOOLEAN NOT NULL DEFAULT false,
    "last_sent_at" TIMESTAMPTZ(3),
    "due" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "interrupted" INTEGER NOT NULL DEFAULT 0,
    "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "watches_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "watches_due_idx" ON "watches"("due") WHERE "due" IS NOT NULL;

CREATE TABLE "notices" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notices_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "notices_key_key" ON "notices"("key");
CREATE INDEX "notices_workspace_id_id_idx" ON "notices"("workspace_id", "id" DESC);
CREATE INDEX "notices_project_id_idx" ON "notices"("project_id");
CREATE INDEX "notices_created_at_idx" ON "notices"("created_at");

CREATE TABLE "dismissed_notices" (
    "notice_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,

    CONSTRAINT "dismissed_notices_pkey" PRIMARY KEY ("notice_id", "member_id")
);

CREATE TABLE "deleted_projects" (
    "project_id" TEXT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deleted_projects_pkey" PRIMARY KEY ("project_id")
);

-- States of workspaces that are, or were, suspended or deleted; their work is stopped, and the data of deleted ones removed, when `due`.
CREATE TABLE "workspace_states" (
    "workspace_id" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "suspended_at" TIMESTAMPTZ(3),
    "sweeps" INTEGER NOT NULL DEFAULT 0,
    "due" TIMESTAMPTZ(3),

    CONSTRAINT "workspace_states_pkey" PRIMARY KEY ("workspace_id")
);
CREATE INDEX "workspace_states_due_idx" ON "workspace_states"("due") WHERE "due" IS NOT NULL;

-- Entries of audit logs for identity.
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
