/** Query parameters that record the origin of a visit and never select a page; a name that ends in `*` is a prefix. */
export const TRACKING_PARAMETERS: readonly string[] = [
  'utm_*',
  'mtm_*',
  'pk_campaign',
  'pk_kwd',
  'pk_source',
  'pk_medium',
  'pk_content',
  'piwik_*',
  'matomo_*',
  'gclid',
  'gclsrc',
  'gbraid',
  'wbraid',
  'dclid',
  'gad_source',
  'gad_campaignid',
  '_ga',
  '_gl',
  'srsltid',

  'fbclid',
  'igsh',
  'igshid',
  'msclkid',
  'twclid',
  'ttclid',
  'yclid',
  'ysclid',
  '_openstat',
  'li_fat_id',
  'epik',
  'rdt_cid',

  'mc_cid',
  'mc_eid',
  'mkt_tok',
  '_hsenc',
  '_hsmi',
  '__hstc',
  '__hssc',
  '__hsfp',
  'hsctatracking',
  'vero_id',
  'vero_conv',

  'oly_anon_id',
  'oly_enc_id',
  '_kx',
  'ml_subscriber',
  'ml_subscriber_hash',
  's_cid',
  'ref_src',
  'irclickid',
  'wickedid',
];

const NAMES: ReadonlySet<string> = new Set(TRACKING_PARAMETERS.filter((name) => !name.endsWith('*')));
const PREFIXES = TRACKING_PARAMETERS.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

/** Returns whether a query parameter is one of `TRACKING_PARAMETERS`, ignoring case. */
export function isTrackingParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.has(lower) || PREFIXES.some((prefix) => lower.startsWith(prefix));
}
