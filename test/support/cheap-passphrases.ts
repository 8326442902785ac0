import { Encrypter } from "age-encryption";

/**
 * Lowers the work factor of passphrases in this process until the result is disposed of. With the usual factor, each write and each
 * opening of an archive keeps a processor busy for a second.
 */
export function cheapPassphrases(): Disposable {
  const setPassphrase = Reflect.get(Encrypter.prototype, "setPassphrase");
  Encrypter.prototype.setPassphrase = function set(words) {
    setPassphrase.call(this, words);
    this.setScryptWorkFactor(10);
  };
  return { [Symbol.dispose]: () => void (Encrypter.prototype.setPassphrase = setPassphrase) };
}
