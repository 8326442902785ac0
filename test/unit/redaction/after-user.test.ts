import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";

const redact = createRedactor();

async function textOf(markdown: string): Promise<unknown> {
  const { body } = await redact(dashboards, { tiles: [{ config: { markdown } }] });
  return (body["tiles"] as { config: { markdown: string } }[])[0]?.config.markdown;
}

describe("a plain word is taken for the password", () => {
  it.each([
    ["below its user", "* user: root\n* pass: ¦manguera¦"],
    ["below its user, with a line between", "- Email: `ops@quay.net`\n- Role: admin\n- Password: `¦umeume¦`"],
    ["beside its user", "username: ops, password: ¦harbour¦"],
    ["in code", 'val dbUser:String = "quay";\nval dbPassword:String = "¦moorings¦";'],
    [
      "in a class",
      'public string UserName { get; set; } = "quay";\n\npublic string Password { get; set; } = "¦sandbank¦";',
    ],
    ["of a member of JSON", '{"user": "ops", "password": "¦sandbank¦"}'],
    ["in settings that have blanks only", "  username root@quay.io\n  password ¦planken¦"],
    ["before a remark", "ansible_user: quay\nansible_password: ¦planken¦ # encrypt it"],
    ["after a stroke", "the default is user ops / pass ¦lade4471¦ for now"],
    ["in another language", "- Пользователь: `root`\n- Пароль: `¦ochensilno¦`"],
    ["in quotes, in a sentence", 'the default admin password is "¦lotsenboot¦"'],
    ["in the marks of code, after a label", "**Password (all users):** `¦molenfeuer¦`\n"],
    ["in a table of users", "| Email | Password |\n|---|---|\n| `ops@quay.net` | ¦quai4471¦ |"],
    ["after both names", "the default username/password is ops/¦opsmooring¦"],
  ])("%s", async (_, marked) => {
    const value = /¦(.*)¦/.exec(marked)?.[1] ?? "";
    expect(await textOf(marked.replaceAll("¦", ""))).toBe(marked.replace(`¦${value}¦`, "«redacted:assigned-secret»"));
  });
});

describe("what is said of a password stays", () => {
  it.each([
    "user: root\npassword: rotated",
    "user: root\npassword: disabled",
    "Username: see the wiki\nPassword: Vaultwarden",
    "username: string\npassword: string",
    "username = form.username\npassword = form.password",
    "this.username = username\nthis.password = phrase",
    '{"username": "Benutzername", "password": "Passwort"}',
    'the password is "incorrect"',
    "**Password:** `required`\n",
    "| Username | Password |\n|---|---|\n| ops | optional |",
    "login: ops\npassword policy: strong",
    "https://hooks.slack.com/services/XXX/YYY/ZZZ",
    "identified by @dbserver.log.password@ account unlock",
    "mongodb+srv://quay_user:<password>@cluster0.hz.mongodb.net/",
  ])("%j", async (text) => {
    expect(await textOf(text)).toBe(text);
  });
});
