/** A syntax error, with a sentence that says where. */
export class LuceneSyntaxError extends Error {
  constructor(
    message: string,
    /**
     * Whether the text stops being tokens there, as opposed to a token in a wrong position; the engines distinguish the
     * two.
     */
    readonly lexical = false,
  ) {
    super(message);
  }
}
