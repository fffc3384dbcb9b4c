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
    "has_limits" BOOLEAN NOT NULL DEFAULT false,
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
    "actor_id" TEXT NOT NULL DEFAULT '',
    "project_id" TEXT NOT NULL DEFAULT '',
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "leases_pkey" PRIMARY KEY ("id")
);

-- What keys, people and projects may spend.
CREATE TABLE "spend_limits" (
    "workspace_id" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "credits" BIGINT NOT NULL,
    "used" BIGINT NOT NULL DEFAULT 0,
    "used_since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "spend_limits_pkey" PRIMARY KEY ("workspace_id","subject_id")
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
    "is_billed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "periods_pkey" PRIMARY KEY ("workspace_id","starts_at")
);

-- When the credits of each account that pays are compared with its ledger, and the result of the last time.
CREATE TABLE "balance_checks" (
    "workspace_id" TEXT NOT NULL,
    "due" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "differences" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "balance_checks_pkey" PRIMARY KEY ("workspace_id")
);
CREATE INDEX "balance_checks_due_idx" ON "balance_checks"("due");
CREATE INDEX "balance_checks_differences_idx" ON "balance_checks"("workspace_id") WHERE "differences" > 0;

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



-- The periods whose overage has no charge yet.
CREATE INDEX "periods_unbilled_idx" ON "periods"("workspace_id") WHERE "overage_used" > 0 AND NOT "is_billed";

-- CreateTable
CREATE TABLE "overage_charges" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'new',
    "currency" TEXT NOT NULL,
    "gross_minor" BIGINT NOT NULL,
    "lines" JSONB NOT NULL,
    "subscription_id" TEXT,
    "claimed_until" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "payment_id" TEXT,

    CONSTRAINT "overage_charges_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "overage_charges_workspace_id_idx" ON "overage_charges"("workspace_id");
CREATE INDEX "overage_charges_subscription_id_idx" ON "overage_charges"("subscription_id");
-- The charges that the gateway does not have yet.
CREATE INDEX "overage_charges_new_idx" ON "overage_charges"("claimed_until") WHERE "state" = 'new';

-- CreateTable
CREATE TABLE "gateway_ids" (
    "gateway" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "id" TEXT NOT NULL,

    CONSTRAINT "gateway_ids_pkey" PRIMARY KEY ("gateway","kind","key")
);

-- CreateTable
CREATE TABLE "billing_details" (
    "workspace_id" TEXT NOT NULL,
    "legal_name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "country" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "tax_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,

    CONSTRAINT "billing_details_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "gateway" TEXT NOT NULL,
    "gateway_id" TEXT,
    "state" TEXT NOT NULL,
    "gateway_state" TEXT NOT NULL DEFAULT 'created',
    "fetched_at" TIMESTAMPTZ(3),
    "plan" TEXT NOT NULL,
    "period" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "net_minor" BIGINT NOT NULL,
    "gross_minor" BIGINT NOT NULL,
    "due_minor" BIGINT NOT NULL,
    "due_net_minor" BIGINT NOT NULL,
    "due_lines" JSONB NOT NULL,
    "renewal_lines" JSONB NOT NULL,
    "tax_note" TEXT NOT NULL,
    "replaces" TEXT,
    "allowance_added" INTEGER NOT NULL DEFAULT 0,
    "anchor_at" TIMESTAMPTZ(3),
    "first_from" TIMESTAMPTZ(3),
    "first_until" TIMESTAMPTZ(3),
    "paid_from" TIMESTAMPTZ(3),
    "paid_until" TIMESTAMPTZ(3),
    "paid_net_minor" BIGINT NOT NULL DEFAULT 0,
    "cancel_at_end" BOOLEAN NOT NULL DEFAULT false,
    "next" JSONB,
    "closing" TEXT,
    "card" TEXT NOT NULL DEFAULT '',
    "past_due_at" TIMESTAMPTZ(3),
    "reminders" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "orders" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "gateway" TEXT NOT NULL,
    "gateway_id" TEXT,
    "state" TEXT NOT NULL DEFAULT 'open',
    "pack" TEXT NOT NULL,
    "quantity" INTEGER NOT NULL,
    "credits" BIGINT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "lines" JSONB NOT NULL,
    "tax_note" TEXT NOT NULL,
    "idempotency_key" TEXT,
    "request_hash" TEXT NOT NULL,
    "payment_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "paid_at" TIMESTAMPTZ(3),

    CONSTRAINT "orders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payments" (
    "gateway" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "order_id" TEXT,
    "subscription_id" TEXT,
    "amount_minor" BIGINT NOT NULL,
    "refunded_minor" BIGINT NOT NULL DEFAULT 0,
    "currency" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "invoice_id" TEXT NOT NULL,
    "paid_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("gateway","id")
);

-- CreateTable
CREATE TABLE "gateway_messages" (
    "gateway" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "payment_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'new',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "gateway_messages_pkey" PRIMARY KEY ("gateway","id")
);

-- Captured payments that belong to no stored order or subscription, or do not fit the one they name.
CREATE TABLE "unmatched_payments" (
    "gateway" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "paid_at" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reported_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "unmatched_payments_pkey" PRIMARY KEY ("gateway","id")
);
CREATE INDEX "unmatched_payments_open_idx" ON "unmatched_payments"("next_at") WHERE "state" = 'open';

-- CreateTable
CREATE TABLE "documents" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,
    "currency" TEXT NOT NULL,
    "total_minor" BIGINT NOT NULL,
    "body" JSONB NOT NULL,
    "invoice_id" TEXT,

    CONSTRAINT "documents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "document_series" (
    "name" TEXT NOT NULL,
    "last" INTEGER NOT NULL,

    CONSTRAINT "document_series_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE UNIQUE INDEX "subscriptions_gateway_gateway_id_key" ON "subscriptions"("gateway", "gateway_id");

-- CreateIndex
CREATE INDEX "subscriptions_workspace_id_created_at_idx" ON "subscriptions"("workspace_id", "created_at");

-- One live subscription for each workspace.
CREATE UNIQUE INDEX "subscriptions_live_key" ON "subscriptions"("workspace_id") WHERE "state" IN ('active', 'past_due');

-- CreateIndex
CREATE UNIQUE INDEX "orders_gateway_gateway_id_key" ON "orders"("gateway", "gateway_id");

-- CreateIndex
CREATE UNIQUE INDEX "orders_workspace_id_idempotency_key_key" ON "orders"("workspace_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "orders_state_created_at_idx" ON "orders"("state", "created_at");

-- CreateIndex
CREATE INDEX "payments_workspace_id_paid_at_idx" ON "payments"("workspace_id", "paid_at");

-- CreateIndex
CREATE INDEX "gateway_messages_state_next_at_idx" ON "gateway_messages"("state", "next_at");

-- CreateIndex
CREATE UNIQUE INDEX "documents_number_key" ON "documents"("number");

-- CreateIndex
CREATE INDEX "documents_workspace_id_issued_at_idx" ON "documents"("workspace_id", "issued_at");

-- CreateIndex
CREATE INDEX "documents_invoice_id_idx" ON "documents"("invoice_id");
