import type { Panel } from '../document.js';
import { words } from '../grid.js';
import { kinds } from './kinds.js';
import { Modal } from './modal.js';

/** Chooses the kind of a new panel. */
export const PickKind = ({ pick, close }: { pick: (kind: Panel['kind']) => void; close: () => void }) => (
  <Modal title="Add a panel" close={close}>
    <div class="kinds">
      {kinds.map(({ kind, use, icon }, index) => (
        <button key={kind} type="button" autoFocus={index === 0} onClick={() => pick(kind)}>
          <svg class="icon" viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
            <path d={icon} />
          </svg>
          <span>
            <b>{words[kind]}</b>
            <span class="quiet below">{use}</span>
          </span>
        </button>
      ))}
    </div>
    <div class="actions end">
      <button type="button" onClick={close}>
        Cancel
      </button>
    </div>
  </Modal>
);
