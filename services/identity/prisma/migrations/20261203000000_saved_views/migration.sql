-- The language of the console that a person has chosen; null: that of the browser.
ALTER TABLE "users" ADD COLUMN "language" TEXT;

-- Pages of the console with their filters, saved by a member.
CREATE TABLE "saved_views" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_views_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "saved_views_workspace_id_user_id_fkey" FOREIGN KEY ("workspace_id", "user_id")
      REFERENCES "memberships"("workspace_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "saved_views_workspace_id_user_id_idx" ON "saved_views"("workspace_id", "user_id");
