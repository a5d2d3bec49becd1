/** A text, or its beginning and its end with the number of characters that were left out between them. */
export const headAndTail = (text: string, head: number, tail: number): string => {
  if (text.length <= head + tail) return text
  const start = text.slice(0, head).replace(/[\ud800-\udbff]$/u, "")
  const end = tail === 0 ? "" : text.slice(-tail).replace(/^[\udc00-\udfff]/u, "")
  return `${start}\n… ${text.length - start.length - end.length} characters left out …\n${end}`
}
