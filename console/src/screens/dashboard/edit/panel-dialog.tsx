import { useMemo, useState } from 'preact/hooks';
import { mayOwn } from '../../../api/session.js';
import { Field } from '../../../components/dialog.js';
import { LinkDialog } from '../../link-device.js';
import { type Dashboard, type Panel, sourcesOf, variableName } from '../document.js';
import type { Application } from '../facts.js';
import { PanelFrame, words } from '../grid.js';
import { PanelBody } from '../panels/body.js';
import { useBoard } from '../use-board.js';
import { KindFields } from './kind-fields.js';
import { Modal } from './modal.js';

/** Changes one panel, beside a preview of what it shows. */
export function PanelDialog({
  application,
  dashboard,
  panel,
  keep,
  reload,
  close,
}: {
  application: Application;
  dashboard: Dashboard;
  panel: Panel;
  keep: (panel: Panel) => void;
  /** Reads the devices of the application again. */
  reload: () => Promise<void>;
  close: () => void;
}) {
  const [draft, setDraft] = useState(panel);
  const [fault, setFault] = useState<string | undefined>();
  const [link, setLink] = useState<{ readonly linked: (deviceId: string) => void } | undefined>();
  const preview = useMemo(() => ({ ...dashboard, panels: [draft] }), [dashboard, draft]);
  const board = useBoard(application, preview);
  const isNew = !dashboard.panels.some(({ id }) => id === panel.id);
  const title = draft.title || titleFor(draft);
  return (
    <Modal title={`${isNew ? 'Add' : 'Edit'}: ${words[panel.kind].toLowerCase()}`} wide close={close}>
      <form
        class="panel-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === undefined) keep({ ...draft, title });
        }}
      >
        <div class="panel-fields">
          <Field label="Title">
            <input
              autoFocus
              maxLength={200}
              value={draft.title}
              placeholder={titleFor(draft)}
              onInput={({ currentTarget }) => setDraft({ ...draft, title: currentTarget.value })}
            />
          </Field>
          <KindFields
            application={application}
            dashboard={dashboard}
            panel={draft}
            change={setDraft}
            link={mayOwn.value ? (linked) => setLink({ linked }) : undefined}
            setFault={setFault}
          />
        </div>
        <div class="preview" role="group" aria-label="Preview">
          <PanelFrame panel={{ ...draft, title, x: 0, y: 0, w: 12 }}>
            <PanelBody panel={draft} shown={board.shown} />
          </PanelFrame>
          {board.error && (
            <p class="fault" role="alert">
              {board.error.message}
            </p>
          )}
        </div>
        <div class="actions end">
          {fault !== undefined && (
            <span class="fault" role="status">
              {fault}
            </span>
          )}
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={fault !== undefined}>
            {isNew ? 'Add' : 'Apply'}
          </button>
        </div>
      </form>
      {link !== undefined && (
        <LinkDialog
          application={application}
          linked={async (deviceId) => {
            await reload();
            link.linked(deviceId);
          }}
          close={() => setLink(undefined)}
        />
      )}
    </Modal>
  );
}

/** Returns the default title of a panel: the names of its variables. */
const titleFor = (panel: Panel): string => {
  const names = [...new Set(sourcesOf(panel).map(({ variable, label }) => label || variableName(variable)))];
  const text = names.length === 0 || panel.kind === 'table' ? words[panel.kind] : names.join(', ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1, 200)}`;
};
