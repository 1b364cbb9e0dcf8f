import { useState } from 'preact/hooks';
import { SuggestDashboardDocument, UpdateDashboardDocument } from '../../api/documents.js';
import { ask, type GraphError, refusalOf } from '../../api/graph.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { toast } from '../../browser/toast.js';
import { Empty, Failure } from '../../components/state.js';
import type { Application } from './facts.js';
import { storedDashboard } from './read.js';
import { turnOn } from './turn-on.js';

/** Offers the first steps when a dashboard has no panel. */
export function Begin({
  application,
  mayChange,
  done,
  edit,
}: {
  application: Application;
  mayChange: boolean;
  done: () => void;
  /** Opens the editor; undefined while the application has no dashboard. */
  edit: (() => void) | undefined;
}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<GraphError | undefined>();
  const { id: applicationId, devices, hasDashboard } = application;
  const names = { organizationId: organizationId.value, applicationId };
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      done();
    } catch (cause) {
      setError(refusalOf(cause));
    }
    setBusy(false);
  };
  const suggest = () =>
    attempt(async () => {
      if (!hasDashboard) await turnOn(applicationId);
      const { version, dashboard } = await storedDashboard(applicationId);
      // The application had a dashboard before, or another person has just made one.
      if (dashboard.panels.length > 0) return;
      const { suggestDashboard: document } = await ask(SuggestDashboardDocument, names);
      await ask(UpdateDashboardDocument, { ...names, version, document });
      toast('The dashboard was created.');
    });
  const mayBegin = mayChange && (hasDashboard || mayOwn.value);
  return (
    <div class="begin">
      {error && <Failure error={error} />}
      <Empty title={hasDashboard ? 'No panel yet' : 'This application has no dashboard'}>
        <p>
          {!mayBegin
            ? 'Those who may change the application can create one.'
            : devices.totalCount === 0
              ? 'Link devices to the application first: their variables are what a dashboard shows.'
              : "A first dashboard shows the variables of the devices' products: figures, charts, states and newest values. Everything can be changed afterwards."}
        </p>
        <div class="actions">
          {mayBegin && devices.totalCount !== 0 && (
            <button type="button" class="primary" disabled={isBusy} onClick={() => void suggest()}>
              Make a first dashboard
            </button>
          )}
          {mayBegin && edit !== undefined && (
            <button type="button" disabled={isBusy} onClick={edit}>
              Begin with an empty one
            </button>
          )}
          <a href={`/console/applications/${applicationId}`}>Open the application</a>
        </div>
      </Empty>
    </div>
  );
}
