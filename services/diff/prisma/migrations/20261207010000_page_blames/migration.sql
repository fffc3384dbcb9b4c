CREATE TABLE "page_blames" (
  "project_id" TEXT NOT NULL,
  "url_key" BYTEA NOT NULL,
  "language" TEXT NOT NULL,
  "versions" TEXT NOT NULL,
  "is_from_start" BOOLEAN NOT NULL,
  "state" BYTEA NOT NULL,
  CONSTRAINT "page_blames_pkey" PRIMARY KEY ("project_id", "url_key", "language")
);
