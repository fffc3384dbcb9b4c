// The description of every service: what an installation states about it besides its settings, which `services/*/src/config.ts`
// declares. The processes of one machine, `compose.yaml`, the values of the chart and the tables of the READMEs follow from both;
// `node --conditions=tidemark-source tools/wiring.ts --write` writes the generated parts, `npm run check` compares them.

/** The services of the fleet, in display order. */
export const SERVICES = [
  'identity',
  'billing',
  'archive',
  'browser-pool',
  'scrape',
  'map',
  'crawl',
  'projects',
  'diff',
  'export',
  'delivery',
  'gateway',
  'mcp',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Memory of a process, MB. */
export interface ProcessMemory {
  /** Size that the old generation of V8's heap may reach without extra marking; absent: V8's own. */
  readonly old?: number;
  readonly maxOld: number;
  /** Each semi-space of V8's young generation. */
  readonly young: number;
  /** Resident memory near which the process refuses new work: its heap, buffers outside the heap, and code. */
  readonly resident: number;
}

/** A variable of the operator, with the value that is used without it. */
export interface FromOperator {
  readonly variable: string;
  readonly fallback: string;
}

/** A value of YAML. */
export type Yaml = string | number | boolean | null | readonly Yaml[] | { readonly [key: string]: Yaml };

export interface ServiceDescription {
  /** On one machine: `light` shares a process with the other light services, because a Node process costs about 100 MB. */
  readonly process: 'light' | 'own';
  /** Memory of a process of this service alone on one machine. */
  readonly memory: ProcessMemory;
  /** Runs code of pages: in compose, its networks connect it with its callers, Redis and the web only. */
  readonly isIsolated?: true;
  /** Connections to the public web. `configured`: to a provider that an operator may configure, which the chart does not allow by default. */
  readonly web: 'always' | 'configured' | 'never';
  /** Settings that an operator sets in the environment of `npm start` and in `.env` of compose. */
  readonly operator: readonly string[];
  /** Listen settings of called services to whose ports it connects in addition to gRPC. */
  readonly connects?: Partial<Record<ServiceName, readonly string[]>>;
  readonly compose?: {
    /** Environment that differs from `operator` with the defaults of the code. */
    readonly environment?: Readonly<Record<string, string | FromOperator>>;
    /** Further keys of the service; `depends_on` and `security_opt` replace those of every service. */
    readonly options?: Readonly<Record<string, Yaml>>;
  };
  readonly chart: {
    /** Settings that the chart sets; the others keep the defaults of the code. */
    readonly config?: Readonly<Record<string, string>>;
    /** Comments of the values of single settings, in addition to their meaning. */
    readonly notes?: Readonly<Record<string, string>>;
    /** Whether pods are added under load, up to this number; absent: `defaults.replicas` pods. */
    readonly maxReplicas?: number | 'default';
    /** Messages of a consumer's backlog per pod, by durable name. */
    readonly thresholds?: Readonly<Record<string, number>>;
    /** Further values of the service, which replace `defaults`. */
    readonly values?: Readonly<Record<string, Yaml>>;
  };
}

/** Settings that name a store, of which the chart requires every one that a service reads. */
export const STORES: readonly string[] = ['DATABASE_URL', 'NATS_URL', 'REDIS_URL', 'BLOB_URL'];

/** Settings of the network of the operator: every service that reads them receives them. */
export const NETWORK_SETTINGS: readonly string[] = ['HTTPS_PROXY', 'NO_PROXY', 'TIDEMARK_PROXY_TARGET'];

/** Settings that the chart reads from Secrets. */
export const SECRETS: readonly string[] = [
  ...STORES,
  'SEALING_KEYS',
  'TIDEMARK_EXITS',
  'HTTPS_PROXY',
  'MAIL_URL',
  'OIDC_CLIENT_SECRET',
  'RAZORPAY_KEY_SECRET',
  'RAZORPAY_WEBHOOK_SECRETS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRETS',
];

/** Settings of tests and demonstrations, which neither compose nor the chart offers: with them billing sells without moving money. */
export const LOCAL_SETTINGS: readonly string[] = ['RAZORPAY_URL'];

/** Backlog of a consumer per pod, messages, if the description of the service states no other. */
export const DEFAULT_THRESHOLD = 200;

// A fixed young space and an old space with some headroom avoid the continuous marking by which V8 keeps the heap small.
const MEMORY: ProcessMemory = { old: 64, maxOld: 768, young: 16, resident: 1_280 };

/** Memory of the process of the light services. */
export const LIGHT_MEMORY: ProcessMemory = { old: 96, maxOld: 384, young: 16, resident: 1_024 };

const MCP_URL: FromOperator = { variable: 'MCP_URL', fallback: 'http://127.0.0.1:8790/mcp' };
const DEFAULT_PLAN: FromOperator = { variable: 'TIDEMARK_DEFAULT_PLAN', fallback: 'self_hosted' };

export const DESCRIPTIONS: Readonly<Record<ServiceName, ServiceDescription>> = {
  identity: {
    process: 'light',
    memory: MEMORY,
    web: 'configured',
    operator: [
      'SIGN_UP',
      'PASSWORD_MIN',
      'ACCOUNT_MAILS',
      'OIDC_ISSUER',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'OIDC_NAME',
      'OIDC_ALLOWED_DOMAINS',
      'OIDC_SCOPES',
      'OIDC_GROUPS_CLAIM',
      'OIDC_GROUP_ROLES',
    ],
    compose: { environment: { TIDEMARK_DEFAULT_PLAN: DEFAULT_PLAN } },
    chart: {
      notes: {
        OIDC_ISSUER:
          'Open the way with networkPolicy.oidc, or for a provider on the public web with `web: true` of this service.',
      },
    },
  },
  billing: {
    process: 'light',
    memory: MEMORY,
    web: 'configured',
    operator: [
      'PAYMENT_GATEWAY',
      'RAZORPAY_KEY_ID',
      'RAZORPAY_KEY_SECRET',
      'RAZORPAY_WEBHOOK_SECRETS',
      'STRIPE_PUBLISHABLE_KEY',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRETS',
      'STRIPE_RETURN_URL',
      'TIDEMARK_SELLER',
    ],
    compose: { environment: { TIDEMARK_DEFAULT_PLAN: DEFAULT_PLAN } },
    chart: { notes: { PAYMENT_GATEWAY: 'Open the way to it with `web: true` of this service.' } },
  },
  archive: {
    process: 'light',
    memory: MEMORY,
    web: 'never',
    operator: [],
    chart: { maxReplicas: 'default' },
  },
  'browser-pool': {
    process: 'own',
    memory: { maxOld: 384, young: 8, resident: 768 },
    isIsolated: true,
    web: 'always',
    operator: ['TIDEMARK_EXITS'],
    compose: {
      // Of the addresses of its networks, scrape reaches one.
      environment: { EXIT_PROXY_HOST: 'browser-pool' },
      options: {
        // Chromium's sandbox needs user namespaces, which Docker's default profile withholds.
        security_opt: ['no-new-privileges:true', 'seccomp:helm/tidemark/files/chromium-seccomp.json'],
        shm_size: '256m',
        init: true,
        depends_on: { redis: { condition: 'service_healthy' } },
      },
    },
    chart: {
      config: { CHROMIUM_PATH: '/usr/bin/chromium' },
      notes: {
        CHROMIUM_PATH: 'Where deploy/Dockerfile installs it.',
        CHROMIUM_SANDBOX: 'With "off", seccompProfile may be RuntimeDefault.',
        TIDEMARK_EGRESS_ALLOW: 'Open the way with extraEgress too.',
        PROFILE_DIR: 'Under /tmp.',
      },
      maxReplicas: 20,
      values: {
        nodeFlags: ['--max-semi-space-size=8', '--max-old-space-size=384'],
        resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '4', memory: '2Gi' } },
        tmp: '2Gi',
        shm: '256Mi',
        init: true,
        seccompProfile: { type: 'Localhost', localhostProfile: 'tidemark/chromium-seccomp.json' },
      },
    },
  },
  scrape: {
    process: 'own',
    // Each of its threads has a young space. Twice the size saves no measurable CPU time of a crawl and takes 70 MB.
    memory: { old: 64, maxOld: 768, young: 8, resident: 2_048 },
    web: 'always',
    operator: [],
    connects: { 'browser-pool': ['EXIT_PROXY_LISTEN'] },
    chart: {
      maxReplicas: 50,
      thresholds: { 'workers-work-batch': 16, 'workers-work-page': 32 },
      values: { resources: { requests: { cpu: '500m', memory: '384Mi' }, limits: { cpu: '4', memory: '1Gi' } } },
    },
  },
  map: {
    process: 'light',
    memory: MEMORY,
    web: 'always',
    operator: [],
    chart: { maxReplicas: 'default' },
  },
  crawl: {
    process: 'light',
    memory: MEMORY,
    web: 'never',
    operator: [],
    chart: { maxReplicas: 'default' },
  },
  projects: { process: 'light', memory: MEMORY, web: 'never', operator: [], chart: {} },
  diff: {
    process: 'light',
    // The rows of a record live as long as their batch: a small young space copies each batch several times.
    memory: { old: 128, maxOld: 768, young: 32, resident: 1_280 },
    web: 'never',
    operator: [],
    chart: {
      notes: { TIDEMARK_RELEASE: 'null: the tag (or digest) of the image of scrape, which reads the pages.' },
      maxReplicas: 'default',
    },
  },
  export: { process: 'light', memory: MEMORY, web: 'always', operator: [], chart: {} },
  delivery: {
    process: 'light',
    memory: MEMORY,
    web: 'always',
    operator: ['MAIL_URL', 'MAIL_FROM', 'PUBLIC_URL', 'CONSOLE_URL'],
    compose: { environment: { PUBLIC_URL: { variable: 'PUBLIC_URL', fallback: 'http://127.0.0.1:8787/v1' } } },
    chart: { notes: { MAIL_URL: 'A mail host at a private address needs extraEgress too.' } },
  },
  gateway: {
    process: 'light',
    memory: MEMORY,
    web: 'never',
    operator: [],
    compose: {
      environment: { LISTEN: '0.0.0.0:8787', MCP_URL },
      options: {
        ports: ['127.0.0.1:8787:8787'],
        depends_on: {
          migrate: { condition: 'service_completed_successfully' },
          nats: { condition: 'service_healthy' },
          redis: { condition: 'service_healthy' },
          identity: { condition: 'service_healthy' },
          scrape: { condition: 'service_healthy' },
        },
      },
    },
    chart: {
      notes: {
        TRUSTED_PROXIES:
          'Set it behind an ingress, such as the CIDR of its pods and those of mcp: all clients count as one address otherwise.',
        CONSOLE_DIR: 'The image sets it.',
      },
      maxReplicas: 'default',
    },
  },
  mcp: {
    process: 'light',
    memory: MEMORY,
    web: 'never',
    operator: [],
    connects: { gateway: ['LISTEN'] },
    compose: {
      environment: {
        LISTEN: '0.0.0.0:8790',
        PUBLIC_URL: MCP_URL,
        AUTHORIZATION_SERVER: { variable: 'MCP_AUTHORIZATION_SERVER', fallback: 'http://127.0.0.1:8787' },
      },
      options: {
        ports: ['127.0.0.1:8790:8790'],
        depends_on: { gateway: { condition: 'service_healthy' } },
      },
    },
    chart: { maxReplicas: 'default' },
  },
};

/** The service whose address a setting names: BROWSER_POOL_ADDR is the address of browser-pool. @throws Error if there is none */
export function serviceOfAddress(key: string): ServiceName {
  const name = key
    .replace(/_ADDR$/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  const service = SERVICES.find((one) => one === name);
  if (service === undefined) throw new Error(`${key} names no service`);
  return service;
}
