-- The name of a project in a file that describes it, chosen by its owner; empty: none.
ALTER TABLE "projects" ADD COLUMN "reference" TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX "projects_reference_key" ON "projects"("workspace_id", "reference") WHERE "reference" <> '';
