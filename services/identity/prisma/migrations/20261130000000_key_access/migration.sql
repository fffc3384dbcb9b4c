-- An empty list of projects no longer gives access to all of them.
ALTER TABLE "api_keys" ADD COLUMN "all_projects" BOOLEAN;
UPDATE "api_keys" SET "all_projects" = cardinality(coalesce("projects", '{}')) = 0;
ALTER TABLE "api_keys" ALTER COLUMN "all_projects" SET NOT NULL;
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_access" CHECK ("all_projects" = (cardinality(coalesce("projects", '{}')) = 0));
