-- What a model made of a record.
ALTER TABLE "records" ADD COLUMN "digest" TEXT;
