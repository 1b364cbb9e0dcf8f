import { dismiss, type Toast, toast, toastError, toasts } from '../browser/toast.js';

/** The messages that confirm actions, each with an undo button if the action has one. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-label="Messages">
    {toasts.value.map((one) => (
      <div class="toast" key={one.id}>
        <span>{one.text}</span>
        {one.undo !== undefined && (
          <button type="button" onClick={() => void takeBack(one)}>
            Undo
          </button>
        )}
        <button type="button" class="plain" aria-label="Close the message" onClick={() => dismiss(one.id)}>
          ×
        </button>
      </div>
    ))}
  </div>
);

const takeBack = async ({ id, undo }: Toast) => {
  dismiss(id);
  try {
    await undo?.();
    toast('The change was undone.');
  } catch (error) {
    toastError(error);
  }
};
