-- Words by which the owner groups projects. No index: the filter scans the projects of one workspace, whose number is limited.
ALTER TABLE "projects" ADD COLUMN "tags" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
