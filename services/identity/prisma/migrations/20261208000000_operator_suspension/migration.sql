-- A suspension by the operator is kept apart from that by the workspace that pays: each of them ends its own only.
ALTER TABLE "workspaces" ADD COLUMN "operator_suspended_at" TIMESTAMPTZ(3), ADD COLUMN "suspension_reason" TEXT;
