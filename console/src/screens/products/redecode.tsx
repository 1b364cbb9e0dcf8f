import { RedecodeDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { useAddress } from '../../browser/address.js';
import { Action } from '../../components/action.js';
import { JobProgress } from '../../components/job.js';
import { Section } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { endsOf, parseRange } from '../../format/range.js';
import { formatTime, zone } from '../../format/time.js';

/**
 * Decodes the stored frames of a range again with the present variables: first a dry run that only counts, then the
 * change. Both jobs are in the address, so that their progress survives a reload.
 */
export function Redecode({ productId }: { productId: string }) {
  const address = useAddress();
  const { from, to } = endsOf(parseRange(address.get('range'), 'week'));
  const trial = address.get('trial');
  const job = address.get('job');
  const start = async (dryRun: boolean) => {
    const variables = { organizationId: organizationId.value, productId, from, to, dryRun };
    const { redecodeProduct } = await ask(RedecodeDocument, variables);
    address.set({
      range: `${from}..${to}`,
      ...(dryRun ? { trial: redecodeProduct.id, job: '' } : { job: redecodeProduct.id }),
    });
  };
  const between = `between ${formatTime(from)} and ${formatTime(to)} (${zone.value})`;
  return (
    <Section
      title="Decode stored frames again"
      actions={
        <>
          <RangePicker address={address} fallback="week" />
          <Action label="Try first" title="Try decoding again" action="Try" submit={() => start(true)}>
            <p>Counts which stored records measured {between} would change. Nothing is changed.</p>
          </Action>
          {trial !== '' && (
            <Action label="Decode again" primary submit={() => start(false)}>
              <p>
                Decodes the stored frames measured {between} again with the present variables, and replaces the values
                of the records that change.
              </p>
            </Action>
          )}
        </>
      }
    >
      <p class="quiet">
        Use it after a change of variables. Try it first: a trial counts how many records would change.
      </p>
      {trial !== '' && (
        <JobProgress jobId={trial} note={({ changed }) => `The trial: ${changed.toLocaleString()} would change.`} />
      )}
      {job !== '' && <JobProgress jobId={job} />}
    </Section>
  );
}
