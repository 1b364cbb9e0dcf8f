import { useMemo } from 'preact/hooks';
import { organizationId } from '../../api/session.js';
import { useAddress } from '../../browser/address.js';
import { type Board, useResults } from './data/use-results.js';
import { valuesIn } from './data/values.js';
import type { Dashboard } from './document.js';
import { type Application, factsOf } from './facts.js';
import { useDashboardRange } from './use-dashboard-range.js';

/** Reads what the panels of a dashboard show, with the range and the variables of the address. */
export function useBoard(application: Application, dashboard: Dashboard): Board {
  const address = useAddress();
  const { panels, variables } = dashboard;
  const values = useMemo(() => valuesIn(address, variables), [address, variables]);
  const range = useDashboardRange(address, dashboard.range);
  const facts = useMemo(() => factsOf(application), [application]);
  return useResults({
    organizationId: organizationId.value,
    applicationId: application.id,
    panels,
    values,
    range,
    facts,
  });
}
