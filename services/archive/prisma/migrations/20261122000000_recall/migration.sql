-- AlterTable
ALTER TABLE "pages" ADD COLUMN "url_key" BYTEA;
ALTER TABLE "pages" ADD COLUMN "capture_key" TEXT;
ALTER TABLE "pages" ADD COLUMN "formats" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];

-- maxAge queries the newest good version of an address.
CREATE INDEX "pages_recall_idx" ON "pages"("workspace_id", "url_key", "crawled_at" DESC) WHERE "verdict" IN ('ok', 'thin');
