import { splitList, urlOf } from './setting.js';

/** An OpenID Connect provider by which people sign in. */
export interface OidcProviderSettings {
  /** Number in the names of its settings, from 1. */
  number: number;
  /** Its issuer identifier: an address of https, or of plain http on loopback. */
  issuer: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** Text of the provider's button. */
  name: string;
  /** E-mail domains, in lower case. A verified address of such a domain links the person to an existing account. */
  domains: readonly string[];
  /** Claim that says whether the e-mail address is verified; `email_verified` by default. */
  verifiedClaim?: string | undefined;
}

/** Maximum number of providers of one service. */
const most = 9;

/** Returns the name of a provider's setting. The first provider has no number: OIDC_ISSUER, then OIDC_2_ISSUER. */
export const oidcSettingName = (number: number, part: string) => `OIDC_${number === 1 ? '' : `${number}_`}${part}`;
const parts = ['CLIENT_ID', 'CLIENT_SECRET', 'NAME', 'DOMAINS', 'VERIFIED_CLAIM'];

/** Reads the providers of an environment, with a sentence for each fault. */
export function oidcOf(given: NodeJS.ProcessEnv): { providers: OidcProviderSettings[]; faults: string[] } {
  const faults: string[] = [];
  const providers: OidcProviderSettings[] = [];
  for (let number = 1; number <= most; number++) {
    const read = (part: string) => given[oidcSettingName(number, part)]?.trim();
    const issuer = read('ISSUER');
    if (issuer === undefined) {
      for (const part of parts.filter((each) => read(each) !== undefined)) {
        faults.push(`${oidcSettingName(number, 'ISSUER')} must be set if ${oidcSettingName(number, part)} is set.`);
      }
      continue;
    }
    const clientId = read('CLIENT_ID');
    const domains = splitList((read('DOMAINS') ?? '').toLowerCase());
    if (!isIssuer(issuer))
      faults.push(`${oidcSettingName(number, 'ISSUER')} must be an address such as https://id.example.com.`);
    if (clientId === undefined)
      faults.push(`${oidcSettingName(number, 'CLIENT_ID')} must be set if its issuer is set.`);
    if (!domains.every((domain) => /^[a-z0-9.-]+\.[a-z0-9-]+$/.test(domain))) {
      faults.push(`${oidcSettingName(number, 'DOMAINS')} must be domains such as example.com, separated by commas.`);
    }
    const verifiedClaim = read('VERIFIED_CLAIM');
    if (verifiedClaim !== undefined && !/^[\w:/.-]{1,200}$/.test(verifiedClaim)) {
      faults.push(`${oidcSettingName(number, 'VERIFIED_CLAIM')} must be the name of a claim such as xms_edov.`);
    }
    if (providers.some((other) => isSameIssuer(other.issuer, issuer))) {
      faults.push(`${oidcSettingName(number, 'ISSUER')} must differ from the issuers of other providers.`);
    }
    const name = read('NAME') ?? urlOf(issuer)?.host ?? issuer;
    const clientSecret = read('CLIENT_SECRET');
    providers.push({ number, issuer, clientId: clientId ?? '', clientSecret, name, domains, verifiedClaim });
  }
  return { providers, faults };
}

/** Whether two issuers differ by no more than their spelling, such as by a slash at the end. */
const isSameIssuer = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((text) => (urlOf(text)?.href ?? text).replace(/\/$/, ''));
  return a === b;
};

/**
 * Whether a text is an issuer identifier (OpenID Connect Discovery 1.0, section 2). Plain http is allowed on loopback
 * only.
 */
function isIssuer(text: string): boolean {
  const url = urlOf(text);
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

const isLoopback = (hostname: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
