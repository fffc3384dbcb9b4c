/** Returns a text, or '' where it is absent: for columns, prompts, and fields of the REST interface, in which '' stands for no value. */
export const textOrEmpty = (text: string | undefined): string => text ?? '';
