/** Opens the credit account of the workspace if it has none. @throws AppError not_found, conflict for a sub-account */
export type RequirePayer = (workspaceId: string) => Promise<void>;
