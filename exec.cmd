@rem cmd.exe has no exec, which the scripts of package.json use so that npm passes signals on.
@%*
