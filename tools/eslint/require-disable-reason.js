const DIRECTIVE = /^\s*eslint-disable(?:-next-line|-line)?(?:\s|$)/;
const REASON = /\s--\s+\S/;
const RULE_NAMED = /eslint-disable(?:-next-line|-line)?\s+[@\w]/;

/** An `eslint-disable` comment must name its rules and say why: `// eslint-disable-next-line rule -- reason`. */
export const requireDisableReason = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      noReason: 'Say why this rule is turned off: `eslint-disable… rule -- reason`.',
      noRule: 'Name the rules to turn off; a bare eslint-disable turns off all of them.',
    },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          if (!DIRECTIVE.test(comment.value)) continue;
          if (!RULE_NAMED.test(comment.value)) report(context, comment, 'noRule');
          else if (!REASON.test(comment.value)) report(context, comment, 'noReason');
        }
      },
    };
  },
};

/** Reported before the comment itself: a bare eslint-disable would suppress this report too. */
function report(context, comment, messageId) {
  const { start, end } = comment.loc;
  context.report({ loc: { start: { line: start.line, column: -1 }, end }, messageId });
}
