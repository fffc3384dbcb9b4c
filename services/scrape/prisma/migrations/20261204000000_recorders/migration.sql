-- The open recorder of each member.
CREATE TABLE "recorders" (
    "workspace_id" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "start_url" TEXT NOT NULL,
    "address" TEXT,
    "credits" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "recorders_pkey" PRIMARY KEY ("workspace_id","actor_id")
);

CREATE UNIQUE INDEX "recorders_id_key" ON "recorders"("id");

CREATE INDEX "recorders_expires_at_idx" ON "recorders"("expires_at");
