/** A syntax error, with a sentence that says where. */
export class LuceneSyntaxError extends Error {
  constructor(
    message: string,
    /**
     * Whether the text at the position is no token at all. Otherwise a token is in a wrong position. The engines report
     * the two differently.
     */
    readonly lexical = false,
  ) {
    super(message);
  }
}
