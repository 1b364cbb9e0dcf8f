import { useEffect, useState } from 'preact/hooks';
import { CreateAlertRuleDocument, PreviewAlertRuleDocument, UpdateAlertRuleDocument } from '../../api/documents.js';
import { ask, type GraphError, refusalOf } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { listOf } from '../../browser/form.js';
import { Failure } from '../../components/state.js';
import { type Decision, draftOf, type Fault, readDraft, type Types } from './draft.js';
import { Preview } from './preview.js';
import { RuleFields } from './rule-fields.js';
import type { RuleApplication, ShownRule } from './rule-types.js';
import { mayChange } from './rules.js';
import { episodesChanged } from './use-open-episodes.js';

/** Returns the types that the products of an application declare, by variable. The first product wins. */
const typesIn = ({ products }: RuleApplication): Types =>
  new Map(
    products.items.flatMap(({ variables }) => variables.map(({ name, type }) => [name, type] as const)).toReversed(),
  );

/** Creates or changes a rule, and previews it. A user who may only read the application can preview it. */
export function RuleForm({
  application,
  rule,
  saved,
}: {
  application: RuleApplication;
  rule: ShownRule | undefined;
  saved: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(rule));
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const [refusal, setRefusal] = useState<GraphError | undefined>();
  const [notice, setNotice] = useState('');
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState<Decision | undefined>();
  const types = typesIn(application);
  const names = { organizationId: organizationId.value, applicationId: application.id };
  const preview = useQuery(PreviewAlertRuleDocument, tried && { ...names, ...tried });
  useEffect(() => {
    if (preview.error !== undefined) setFaults(preview.error.faults);
  }, [preview.error]);
  const fail = (error: GraphError | undefined, found: readonly Fault[] = error?.faults ?? []) => {
    setFaults(found);
    setRefusal(error);
    setNotice('');
  };
  /** Reads the form. Returns undefined when a field has a fault, which is shown beside the field. */
  const read = () => {
    const { decision, faults: found } = readDraft(draft, types);
    fail(undefined, found);
    return found.length === 0 ? decision : undefined;
  };
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const decision = read();
    if (decision === undefined) return;
    setBusy(true);
    try {
      const { name, severity } = draft;
      const recipients = listOf(draft.recipients);
      const { kind, ...changes } = decision;
      await (rule === undefined
        ? ask(CreateAlertRuleDocument, { ...names, name, kind, severity, recipients, ...changes })
        : ask(UpdateAlertRuleDocument, { ...names, alertRuleId: rule.id, name, severity, recipients, ...changes }));
      episodesChanged();
      setNotice('Saved.');
      saved();
    } catch (error) {
      fail(refusalOf(error));
    } finally {
      setBusy(false);
    }
  };
  const tryOut = () => {
    const decision = read();
    if (decision === undefined) return;
    setTried(decision);
    // A repeated preview of an unchanged rule reads the records that have arrived since.
    preview.reload();
  };
  const canChange = mayChange(application);
  const isChanged = tried !== undefined && JSON.stringify(readDraft(draft, types).decision) !== JSON.stringify(tried);
  return (
    <>
      <form class="rule" aria-label="Rule" onSubmit={(event) => void save(event)}>
        <fieldset class="plain" disabled={!canChange}>
          <RuleFields
            draft={draft}
            application={application}
            types={types}
            faults={faults}
            isNew={rule === undefined}
            recipients={rule?.recipientStates ?? []}
            change={(changes) => setDraft((before) => ({ ...before, ...changes }))}
          />
        </fieldset>
        {refusal !== undefined && <Failure error={refusal} />}
        {!canChange && (
          <p class="quiet">Only people who may change {application.name} change its rules. You can preview this one.</p>
        )}
        <FormActions
          save={rule === undefined ? 'Create the rule' : 'Save'}
          canChange={canChange}
          busy={busy}
          preview={tryOut}
          said={faults.length > 0 ? 'Something is missing or wrong: see the fields that are marked.' : notice}
        />
      </form>
      <Preview
        application={application}
        decision={tried}
        preview={preview}
        severity={draft.severity}
        isChanged={isChanged}
      />
    </>
  );
}

/** The buttons below the fields, and the result of the last one. */
const FormActions = ({
  save,
  canChange,
  busy,
  preview,
  said,
}: {
  /** Label of the button that saves. */
  save: string;
  canChange: boolean;
  busy: boolean;
  preview: () => void;
  said: string;
}) => (
  <div class="actions">
    {canChange && (
      <button type="submit" class="primary" disabled={busy}>
        {save}
      </button>
    )}
    <button type="button" onClick={preview}>
      Preview
    </button>
    <span class="quiet" role="status">
      {said}
    </span>
  </div>
);
