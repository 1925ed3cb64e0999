const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:/;
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|^Private-MAC:/;

/** An RSA key of 16,384 bits has 200 lines. */
const maxKeyLines = 400;

/** A line of Base64, alone: a part of a key whose first line is not in the log. */
const base64Line = /^(?=[A-Za-z0-9+/]{56,90}={0,2}$)(?=.{0,90}[a-z])(?=.{0,90}[A-Z]).{0,90}[0-9]/;

const lastLine = /^\s{0,40}[A-Za-z0-9+/]{1,90}={0,2}\s{0,4}$/;

/** Words of a message. A key has at most the prefix of a tool before its characters. */
const sentence = /(?:^|\s)[A-Za-z]{2,15}[,.:]?\s+[A-Za-z]{1,15}\s+[A-Za-z]{2,15}\b/;

/** Finds the lines of private keys. Give it each line of a log in order. */
export class PrivateKeys {
  #left = 0;

  /** True when the line belongs to a private key. The line after it tells the last one, which can be short. */
  isKey(text: string, next = ''): boolean {
    if (this.#left > 0) return this.#isInside(text);
    if (text.includes('PRIVATE KEY') || text.includes('PuTTY-User')) return this.#isStart(text);
    if (next.includes('-----END ') && end.test(next) && lastLine.test(text)) return true;
    return text.length >= 56 && text.length < 100 && base64Line.test(text.trim());
  }

  #isStart(text: string): boolean {
    const found = begin.exec(text);
    if (found === null) return end.test(text);
    if (!end.test(text.slice(found.index))) this.#left = maxKeyLines;
    return true;
  }

  /** A message that only names the first line of a key is not followed by one. */
  #isInside(text: string): boolean {
    this.#left--;
    if (end.test(text)) this.#left = 0;
    else if (sentence.test(text) && !/^(?:Comment|Proc-Type|DEK-Info|Version)/.test(text)) {
      this.#left = 0;
      return false;
    }
    return true;
  }
}
