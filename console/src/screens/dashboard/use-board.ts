import { useMemo } from 'preact/hooks';
import { organizationId } from '../../api/session.js';
import { useAddress } from '../../browser/address.js';
import { parseRange } from '../../format/range.js';
import { type Board, useResults } from './data/use-results.js';
import { valuesIn } from './data/values.js';
import type { Dashboard } from './document.js';
import { factsOf, type Subjects } from './facts.js';

/** Reads what the panels of a dashboard show, with the range and the variables of the address. */
export function useBoard(application: Subjects, dashboard: Dashboard, organization = organizationId.value): Board {
  const address = useAddress();
  const { panels, variables } = dashboard;
  const values = useMemo(() => valuesIn(address, variables), [address, variables]);
  const text = address.get('range');
  const range = useMemo(() => parseRange(text, dashboard.range), [text, dashboard.range]);
  const facts = useMemo(() => factsOf(application), [application]);
  return useResults({ organizationId: organization, applicationId: application.id, panels, values, range, facts });
}
