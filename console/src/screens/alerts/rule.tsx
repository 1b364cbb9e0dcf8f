import { useLocation, useRoute } from 'preact-iso';
import { AlertRuleDocument } from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { Page } from '../../components/page.js';
import { headingWithout, Loading } from '../../components/state.js';
import { placesOf } from '../dashboard/facts.js';
import { RuleState } from './alert-labels.js';
import { RuleForm } from './rule-form.js';
import type { ShownRule } from './rule-types.js';
import { Change, DeleteRule, mayChange } from './rules.js';

/** Interval between reloads, which show that an address was confirmed, in milliseconds. */
const every = 10_000;

/**
 * Shows the form of a new or existing rule, with its preview. A user who may only read the application can preview it.
 */
export function RuleScreen() {
  const { params } = useRoute();
  const { route } = useLocation();
  const applicationId = params['applicationId'] ?? '';
  const alertRuleId = params['alertRuleId'] ?? '';
  const isNew = alertRuleId === 'new';
  const loaded = useQuery(
    AlertRuleDocument,
    { organizationId: organizationId.value, applicationId, alertRuleId, isNew },
    { every },
  );
  const rule = isNew ? undefined : (loaded.data?.alertRule as ShownRule | undefined);
  const list = `/console/alerts/rules?application=${applicationId}`;
  const actions = loaded.data !== undefined && rule !== undefined && mayChange(loaded.data.application) && (
    <>
      <Change rule={rule} reload={loaded.reload} />
      <DeleteRule rule={rule} done={() => route(list)} />
    </>
  );
  return (
    <Page
      title={isNew ? 'New alert rule' : (rule?.name ?? headingWithout(loaded, 'Alert rule'))}
      actions={
        <>
          {rule !== undefined && <a href={`/console/alerts?rule=${rule.id}`}>History</a>}
          {actions}
        </>
      }
    >
      <Loading of={loaded} rows={20}>
        {({ application, sites }) => (
          <>
            <p class="quiet cut">
              <a href={list}>Rules of {application.name}</a>
              {rule?.disabled === true && (
                <>
                  {' · '}
                  <RuleState of={rule} />
                </>
              )}
            </p>
            <RuleForm
              key={alertRuleId}
              application={{ ...application, sites: placesOf(sites?.items ?? []) }}
              rule={rule}
              saved={() => {
                if (isNew) route(list);
                else loaded.reload();
              }}
            />
          </>
        )}
      </Loading>
    </Page>
  );
}
