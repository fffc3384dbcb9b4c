-- The group at the sign-in provider that gave a membership: it ends, or changes its role, with the groups of the next sign-in.
ALTER TABLE "memberships" ADD COLUMN "from_group" TEXT;
