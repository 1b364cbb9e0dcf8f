/** A text that is no query, with the sentence that says where. */
export class LuceneSyntaxError extends Error {
  constructor(
    message: string,
    /** Whether the text stops being tokens there, which the engines tell from tokens in a wrong place. */
    readonly lexical = false,
  ) {
    super(message);
  }
}
