import { SignInRefusal } from './refusal.js';

/** A person as the provider names them. Everything except issuer and subject is text that the person may have chosen. */
export interface Claims {
  /** The `iss` of the ID token. */
  issuer: string;
  /** The issuer as the settings write it. Earlier releases stored this text. */
  writtenIssuer?: string;
  subject: string;
  /** E-mail address, if the provider has verified it and the operator trusts the provider for the address's domain. */
  email: string | undefined;
  name: string | undefined;
  username: string | undefined;
}

/** The settings of a provider that concern its claims. */
export interface ClaimRules {
  issuer: string;
  /** Domains in lower case. */
  domains: readonly string[];
  /** Name of the claim that says whether the address is verified. */
  verifiedClaim?: string | undefined;
}

type Raw = Readonly<Record<string, unknown>>;

/**
 * Reads the claims of an ID token, and of UserInfo if the token has no address. An address and the word of its
 * verification come from the same answer.
 */
export function claimsOf(
  token: Raw & { iss: string; sub: string },
  userInfo: Raw | undefined,
  rules: ClaimRules,
): Claims {
  if (!/^[ -~]{1,255}$/.test(token.sub))
    throw new SignInRefusal('answer', 'The provider named no user.', 'claim sub is malformed');
  const about = token['email'] === undefined ? (userInfo ?? {}) : token;
  const text = (name: string) => textOf(token[name]) ?? textOf(userInfo?.[name]);
  return {
    issuer: token.iss,
    writtenIssuer: rules.issuer,
    subject: token.sub,
    email: isVerified(about, rules.verifiedClaim) ? trustedAddress(about['email'], rules.domains) : undefined,
    name: text('name'),
    username: text('preferred_username'),
  };
}

/**
 * Whether an answer says that its address is verified. `email_verified` counts only as the boolean true (OpenID Connect
 * Core 1.0, section 5.1). Other claims, such as `xms_edov` of Entra, come as boolean, number or text.
 */
const isVerified = (about: Raw, claim = 'email_verified'): boolean => {
  const value = about[claim];
  return claim === 'email_verified'
    ? value === true
    : value === true || value === 1 || value === '1' || value === 'true';
};

/**
 * Returns an address of a trusted domain. Only ASCII letters are compared without case: other alphabets have letters
 * whose lower case is an ASCII letter, such as the Kelvin sign.
 */
function trustedAddress(value: unknown, domains: readonly string[]): string | undefined {
  if (typeof value !== 'string' || value.length > 254) return undefined;
  const domain = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@([a-z0-9.-]+)$/i.exec(value)?.[1];
  return domain !== undefined && domains.includes(domain.toLowerCase()) ? value : undefined;
}

/** Returns a text that can be shown: without control characters, and without those that reverse what follows. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 254 && value.isWellFormed() && !unshowable.test(value)
    ? value
    : undefined;

const unshowable = /[\p{Cc}\p{Cn}\p{Co}\u2028-\u202e\u2066-\u2069]/u;
