import type { OidcProviderSettings } from '#config/oidc-setting.js';
import { openOidcClient } from './oidc-client.js';
import { SignInRefusal } from './refusal.js';

/** Reads the metadata and the keys of providers, and returns what is wrong with each. */
export const examineProviders = (providers: readonly OidcProviderSettings[]) =>
  Promise.all(
    providers.map(async (settings) => ({
      name: settings.name,
      fault: await openOidcClient(settings)
        .examine()
        .then(() => undefined, faultOf),
    })),
  );

const faultOf = (error: unknown): string => {
  if (error instanceof SignInRefusal) return `${error.reason}: ${error.detail ?? error.message}`;
  return error instanceof Error ? error.message : String(error);
};
