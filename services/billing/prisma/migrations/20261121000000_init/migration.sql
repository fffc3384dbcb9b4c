-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "billing";

-- CreateTable
CREATE TABLE "accounts" (
    "workspace_id" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "plan_version" BIGINT NOT NULL DEFAULT 0,
    "allowance" BIGINT,
    "allowance_left" BIGINT NOT NULL DEFAULT 0,
    "welcome_left" BIGINT NOT NULL DEFAULT 0,
    "welcome" BIGINT NOT NULL DEFAULT 0,
    "purchased_left" BIGINT NOT NULL DEFAULT 0,
    "overage_used" BIGINT NOT NULL DEFAULT 0,
    "overage_room" BIGINT,
    "overage_cap" DECIMAL(4,1) NOT NULL DEFAULT 1,
    "is_past_due" BOOLEAN NOT NULL DEFAULT false,
    "anchor_at" TIMESTAMPTZ(3),
    "period_start" TIMESTAMPTZ(3),
    "period_end" TIMESTAMPTZ(3),
    "alerted" SMALLINT NOT NULL DEFAULT 0,
    "reserved" BIGINT NOT NULL DEFAULT 0,
    "payer_id" TEXT,
    "cap" BIGINT NOT NULL DEFAULT 0,
    "snapshot_version" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateTable
CREATE TABLE "ledger" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "ref" TEXT NOT NULL,
    "credits" BIGINT NOT NULL,
    "allowance" BIGINT NOT NULL DEFAULT 0,
    "welcome" BIGINT NOT NULL DEFAULT 0,
    "purchased" BIGINT NOT NULL DEFAULT 0,
    "overage" BIGINT NOT NULL DEFAULT 0,
    "payer_id" TEXT,
    "actor_id" TEXT NOT NULL DEFAULT '',
    "project_id" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "leases" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "credits" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "leases_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_days" (
    "workspace_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "kind" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL DEFAULT '',
    "project_id" TEXT NOT NULL DEFAULT '',
    "pages" INTEGER NOT NULL DEFAULT 0,
    "credits" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_days_pkey" PRIMARY KEY ("workspace_id","day","kind","actor_id","project_id")
);

-- Calls of language models.
CREATE TABLE "token_uses" (
    "workspace_id" TEXT NOT NULL,
    "ref" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "token_uses_pkey" PRIMARY KEY ("workspace_id","ref")
);
CREATE INDEX "token_uses_workspace_id_at_idx" ON "token_uses"("workspace_id", "at");
CREATE INDEX "token_uses_at_idx" ON "token_uses"("at");

-- CreateTable
CREATE TABLE "periods" (
    "workspace_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "plan" TEXT NOT NULL,
    "overage_used" BIGINT NOT NULL,

    CONSTRAINT "periods_pkey" PRIMARY KEY ("workspace_id","starts_at")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "payload" BYTEA NOT NULL,
    "trace" JSONB NOT NULL,
    "awaiting" TEXT[],
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "outbox_sent_at_idx" ON "outbox"("sent_at");

-- CreateIndex
CREATE INDEX "ledger_workspace_id_created_at_idx" ON "ledger"("workspace_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_workspace_id_kind_ref_key" ON "ledger"("workspace_id", "kind", "ref");

-- CreateIndex
CREATE INDEX "leases_expires_at_idx" ON "leases"("expires_at");

-- The periods that are due.
CREATE INDEX "accounts_period_end_idx" ON "accounts"("period_end") WHERE "period_end" IS NOT NULL;

-- The sub-accounts of a payer.
CREATE INDEX "accounts_payer_id_idx" ON "accounts"("payer_id") WHERE "payer_id" IS NOT NULL;


