import { type Finding, finding } from './finding.js';

/** A provider of sign-ins, and what is wrong with its metadata. */
export interface ExaminedProvider {
  readonly name: string;
  readonly fault?: string | undefined;
}

/** Names the providers of sign-ins whose metadata or keys cannot be had, or do not fit the settings. */
export const findProviders = (providers: readonly ExaminedProvider[]): Finding => {
  const faulty = providers.filter(({ fault }) => fault !== undefined);
  const says = faulty.length > 0 ? [`Nobody can sign in by ${faulty.length} of ${providers.length} providers.`] : [];
  const found = finding('sign-in', 'the providers answer, and fit the settings', 'wrong', says);
  return { ...found, details: faulty.map(({ name, fault }) => `${name}: ${fault}`) };
};
