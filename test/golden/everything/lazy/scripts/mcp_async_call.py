# the call script
