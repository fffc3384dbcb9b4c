/** The metadata of the endpoint as an OAuth resource (RFC 9728), and where they are served. */
export interface ProtectedResource {
  readonly metadataUrl: string;
  readonly metadata: object;
  /** Paths of the metadata: that of the endpoint, and the one without a path, which some clients try first. */
  readonly paths: readonly string[];
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Describes the endpoint at `publicUrl`, whose tokens the authorization server issues. Undefined where one of them is not configured. */
export function protectedResource(
  publicUrl: string | undefined,
  authorizationServer: string | undefined,
): ProtectedResource | undefined {
  if (publicUrl === undefined || authorizationServer === undefined) return undefined;
  const { origin, pathname } = new URL(publicUrl);
  const path = `${WELL_KNOWN}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`;
  return {
    metadataUrl: `${origin}${path}`,
    paths: [path, WELL_KNOWN],
    metadata: {
      resource: publicUrl,
      resource_name: 'Tidemark',
      authorization_servers: [new URL(authorizationServer).origin],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
    },
  };
}
