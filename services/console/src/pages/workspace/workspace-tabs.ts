export const WORKSPACE_TABS = ['settings', 'audit'] as const;
export type WorkspaceTab = (typeof WORKSPACE_TABS)[number];
