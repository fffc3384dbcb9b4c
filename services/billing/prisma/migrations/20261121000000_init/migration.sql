-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "billing";

-- CreateTable
CREATE TABLE "accounts" (
    "workspace_id" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "balance" BIGINT,
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
    "credits" INTEGER NOT NULL,
    "payer_id" TEXT,
    "actor_id" TEXT NOT NULL DEFAULT '',
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
    "pages" INTEGER NOT NULL DEFAULT 0,
    "credits" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_days_pkey" PRIMARY KEY ("workspace_id","day","kind")
);

-- CreateIndex
CREATE INDEX "ledger_workspace_id_created_at_idx" ON "ledger"("workspace_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_workspace_id_kind_ref_key" ON "ledger"("workspace_id", "kind", "ref");

-- CreateIndex
CREATE INDEX "leases_expires_at_idx" ON "leases"("expires_at");

-- The sub-accounts of a payer.
CREATE INDEX "accounts_payer_id_idx" ON "accounts"("payer_id") WHERE "payer_id" IS NOT NULL;


